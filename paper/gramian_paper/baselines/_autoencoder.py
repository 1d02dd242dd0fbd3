"""An autoencoder with a bottleneck."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from gramian_paper._sklearn import Interval, StrOptions
from gramian_paper._types import Array

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda values: values,
    "logistic": lambda values: expit(values),
    "tanh": np.tanh,
    "relu": lambda values: np.maximum(values, 0),
}


class Autoencoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A neural network that learns to reproduce its input through a narrow layer.

    The layers are the input, the hidden ones, the bottleneck of `n_components` units, the hidden
    ones in reverse, and the output, which is linear. The mean squared error of the output is
    minimized by Adam. Standardize first: the error counts columns by their variance.

    The network is scikit-learn's MLPRegressor. The networks of this size train in seconds on a
    processor, and a deep learning framework would be by far the heaviest package needed here.
    The bottleneck has therefore the same activation as the hidden layers.

    The paper varied the number of hidden layers, their widths and the number of epochs around
    optima that it does not state. The defaults are our own choice.

    Parameters
    ----------
    n_components : int, default=2
        The number of units in the bottleneck.
    hidden_layer_sizes : sequence of int, default=(128,)
        The widths of the layers between input and bottleneck; () for none.
    activation : {"tanh", "relu", "logistic", "identity"}, default="tanh"
        What all layers but the output apply to their sums.
    epochs : int, default=100
        How often the training goes through the data.
    learning_rate : float, default=0.001
        The initial step size of Adam.
    batch_size : int, default=200
        The number of rows for each step, no more than there are.
    alpha : float, default=0.0
        The strength of the penalty on squared weights.
    random_state : int, RandomState or None, default=None
        Where the initial weights and the order of the rows come from.

    Attributes
    ----------
    network_ : MLPRegressor
        The trained network.
    loss_curve_ : array of shape (epochs,)
        Half of the mean squared error (and the penalty) of every epoch.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : array of shape (n_features,)
        The names of the features, where X has any.

    Examples
    --------
    >>> import numpy as np
    >>> from gramian_paper.baselines import Autoencoder
    >>> t = np.linspace(-1, 1, 200)
    >>> X = np.column_stack([t, t**2])
    >>> autoencoder = Autoencoder(1, hidden_layer_sizes=(8,), learning_rate=0.01, random_state=0)
    >>> Z = autoencoder.fit_transform(X)
    >>> Z.shape, autoencoder.inverse_transform(Z).shape
    ((200, 1), (200, 2))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_components": [Interval(Integral, 1, None, closed="left")],
        "hidden_layer_sizes": ["array-like"],
        "activation": [StrOptions(set(ACTIVATIONS))],
        "epochs": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "batch_size": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_components: int = 2,
        *,
        hidden_layer_sizes: Sequence[int] = (128,),
        activation: Literal["tanh", "relu", "logistic", "identity"] = "tanh",
        epochs: int = 100,
        learning_rate: float = 1e-3,
        batch_size: int = 200,
        alpha: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_components = n_components
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.epochs = epochs
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.alpha = alpha
        self.random_state = random_state

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    def fit(self, X: ArrayLike, y: None = None) -> Self:
        """Train the network to reproduce X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.
        y : None
            Ignored.

        Returns
        -------
        self : Autoencoder
            The fitted estimator.
        """
        self._validate_params()
        table: Array = validate_data(self, X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        hidden = list(self.hidden_layer_sizes)
        network = MLPRegressor(
            hidden_layer_sizes=(*hidden, self.n_components, *reversed(hidden)),
            activation=self.activation,
            max_iter=self.epochs,
            n_iter_no_change=self.epochs,
            learning_rate_init=self.learning_rate,
            batch_size=min(self.batch_size, len(table)),
            alpha=self.alpha,
            random_state=self.random_state,
        )
        with warnings.catch_warnings():
            # The number of epochs ends the training, so that reaching it is not a failure to
            # converge.
            warnings.filterwarnings("ignore", "Stochastic Optimizer", ConvergenceWarning)
            network.fit(table, table if table.shape[1] > 1 else table.ravel())
        self.network_ = network
        self.loss_curve_: Array = np.asarray(network.loss_curve_)
        return self

    def transform(self, X: ArrayLike) -> Array:
        """Return the activations of the bottleneck.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            The data.

        Returns
        -------
        Z : array of shape (n_samples, n_components)
            The activations, in float32 if X is.
        """
        check_is_fitted(self)
        table: Array = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return self._through(table, 0, self._n_encoding_layers)

    def inverse_transform(self, Z: ArrayLike) -> Array:
        """Return the output of the network for given activations of the bottleneck.

        Parameters
        ----------
        Z : array-like of shape (n_samples, n_components)
            Activations of the bottleneck.

        Returns
        -------
        X : array of shape (n_samples, n_features)
            The reconstruction.
        """
        check_is_fitted(self)
        codes: Array = check_array(Z, dtype=[np.float64, np.float32])
        if codes.shape[1] != self.n_components:
            raise ValueError(
                f"Z has {codes.shape[1]} columns, but the bottleneck has {self.n_components} units."
            )
        return self._through(codes, self._n_encoding_layers, len(self.network_.coefs_))

    @property
    def _n_encoding_layers(self) -> int:
        return len(self.network_.coefs_) // 2

    def _through(self, values: Array, first: int, last: int) -> Array:
        """Pass values through the layers from `first` until before `last`."""
        weights, biases = self.network_.coefs_, self.network_.intercepts_
        for layer in range(first, last):
            values = values @ weights[layer].astype(values.dtype)
            values += biases[layer].astype(values.dtype)
            if layer < len(weights) - 1:
                values = ACTIVATIONS[self.activation](values)
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
