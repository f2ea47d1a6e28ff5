// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {IAuthorizedPayment, IBlockList} from "../SettlementSplitter.sol";
import {GatewayCommon} from "./GatewayCommon.sol";

interface ISignedPermit {
    function permit(address owner, address spender, uint256 value, uint256 deadline, bytes memory signature) external;
}

/// Deposits, and the way out that needs no operator: after a delay in blocks, in which the operator can still burn what it
/// has attested. A pause stops deposits and new delegates, and no withdrawal.
abstract contract GatewayBalances is GatewayCommon {
    using SafeERC20 for IERC20;

    enum Delegate {
        Never,
        Authorized,
        Revoked
    }

    /// About two weeks of half a second each.
    uint256 public constant MOST_WITHDRAWAL_DELAY = 2_500_000;

    uint256 public withdrawalDelay;
    mapping(address token => mapping(address depositor => uint256)) public availableBalance;
    mapping(address token => mapping(address depositor => uint256)) public withdrawingBalance;
    mapping(address token => mapping(address depositor => uint256)) public withdrawalBlock;
    mapping(address token => mapping(address depositor => mapping(address delegate => Delegate))) private _delegates;

    event Deposited(address indexed token, address indexed depositor, address indexed sender, uint256 value);
    event WithdrawalInitiated(
        address indexed token,
        address indexed depositor,
        uint256 value,
        uint256 remainingAvailable,
        uint256 totalWithdrawing,
        uint256 withdrawalBlock
    );
    event WithdrawalCompleted(address indexed token, address indexed depositor, uint256 value);
    event WithdrawalDelayChanged(uint256 indexed oldDelay, uint256 indexed newDelay);
    event DelegateAdded(address indexed token, address indexed depositor, address delegate);
    event DelegateRemoved(address indexed token, address indexed depositor, address delegate);

    error DepositValueMustBePositive();
    error DepositorIsBlacklisted(address depositor);
    error WithdrawalValueMustBePositive();
    error WithdrawalValueExceedsAvailableBalance();
    error WithdrawalNotYetAvailable();
    error WithdrawalDelayTooLong(uint256 delay);
    error NoWithdrawingBalance();
    error NotAuthorized();
    error CannotDelegateToSelf();

    constructor(uint256 withdrawalDelay_) {
        _updateWithdrawalDelay(withdrawalDelay_);
    }

    function totalBalance(address token, address depositor) external view returns (uint256) {
        return availableBalance[token][depositor] + withdrawingBalance[token][depositor];
    }

    function withdrawableBalance(address token, address depositor) external view returns (uint256) {
        return withdrawalBlock[token][depositor] > block.number ? 0 : withdrawingBalance[token][depositor];
    }

    function isAuthorizedForBalance(address token, address depositor, address account) external view returns (bool) {
        return account == depositor || _delegates[token][depositor][account] == Delegate.Authorized;
    }

    function deposit(address token, uint256 value)
        external
        whenNotPaused
        notDenylisted(msg.sender)
        tokenSupported(token)
    {
        _increase(token, msg.sender, msg.sender, value);
        IERC20(token).safeTransferFrom(msg.sender, address(this), value);
    }

    function depositFor(address token, address depositor, uint256 value)
        external
        whenNotPaused
        notDenylisted(msg.sender)
        notDenylisted(depositor)
        tokenSupported(token)
    {
        _requireAddress(depositor);
        if (IBlockList(token).isBlacklisted(depositor)) revert DepositorIsBlacklisted(depositor);
        _increase(token, depositor, msg.sender, value);
        IERC20(token).safeTransferFrom(msg.sender, address(this), value);
    }

    function depositWithPermit(
        address token,
        address owner,
        uint256 value,
        uint256 deadline,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        depositWithPermit(token, owner, value, deadline, abi.encodePacked(r, s, v));
    }

    function depositWithPermit(address token, address owner, uint256 value, uint256 deadline, bytes memory signature)
        public
        whenNotPaused
        notDenylisted(msg.sender)
        notDenylisted(owner)
        tokenSupported(token)
    {
        _increase(token, owner, owner, value);
        ISignedPermit(token).permit(owner, address(this), value, deadline, signature);
        IERC20(token).safeTransferFrom(owner, address(this), value);
    }

    function depositWithAuthorization(
        address token,
        address from,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        uint8 v,
        bytes32 r,
        bytes32 s
    ) external {
        depositWithAuthorization(token, from, value, validAfter, validBefore, nonce, abi.encodePacked(r, s, v));
    }

    function depositWithAuthorization(
        address token,
        address from,
        uint256 value,
        uint256 validAfter,
        uint256 validBefore,
        bytes32 nonce,
        bytes memory signature
    ) public whenNotPaused notDenylisted(msg.sender) notDenylisted(from) tokenSupported(token) {
        _increase(token, from, from, value);
        IAuthorizedPayment(token)
            .receiveWithAuthorization(from, address(this), value, validAfter, validBefore, nonce, signature);
    }

    /// Starts the delay, for everything that is being withdrawn.
    function initiateWithdrawal(address token, uint256 value) external tokenSupported(token) {
        if (value == 0) revert WithdrawalValueMustBePositive();
        uint256 available = availableBalance[token][msg.sender];
        if (value > available) revert WithdrawalValueExceedsAvailableBalance();
        uint256 withdrawing = withdrawingBalance[token][msg.sender] + value;
        uint256 atBlock = block.number + withdrawalDelay;
        availableBalance[token][msg.sender] = available - value;
        withdrawingBalance[token][msg.sender] = withdrawing;
        withdrawalBlock[token][msg.sender] = atBlock;
        emit WithdrawalInitiated(token, msg.sender, value, available - value, withdrawing, atBlock);
    }

    function withdraw(address token) external tokenSupported(token) {
        if (withdrawalBlock[token][msg.sender] > block.number) revert WithdrawalNotYetAvailable();
        uint256 value = withdrawingBalance[token][msg.sender];
        if (value == 0) revert NoWithdrawingBalance();
        withdrawingBalance[token][msg.sender] = 0;
        withdrawalBlock[token][msg.sender] = 0;
        emit WithdrawalCompleted(token, msg.sender, value);
        IERC20(token).safeTransfer(msg.sender, value);
    }

    function addDelegate(address token, address delegate)
        external
        whenNotPaused
        notDenylisted(msg.sender)
        notDenylisted(delegate)
        tokenSupported(token)
    {
        _requireAddress(delegate);
        if (delegate == msg.sender) revert CannotDelegateToSelf();
        _delegates[token][msg.sender][delegate] = Delegate.Authorized;
        emit DelegateAdded(token, msg.sender, delegate);
    }

    /// What the delegate signed before can still be burned: the operator may have attested it already.
    function removeDelegate(address token, address delegate) external tokenSupported(token) {
        if (_delegates[token][msg.sender][delegate] != Delegate.Authorized) return;
        _delegates[token][msg.sender][delegate] = Delegate.Revoked;
        emit DelegateRemoved(token, msg.sender, delegate);
    }

    /// Applies to withdrawals that start from now on, and is bounded so that nobody's money can be kept for good.
    function updateWithdrawalDelay(uint256 newDelay) external onlyOwner {
        _updateWithdrawalDelay(newDelay);
    }

    function _requireEverAuthorized(address token, address depositor, address account) internal view {
        if (account != depositor && _delegates[token][depositor][account] == Delegate.Never) revert NotAuthorized();
    }

    /// Takes what is available first, then what is being withdrawn, and less than `value` if there is no more.
    function _reduce(address token, address depositor, uint256 value)
        internal
        returns (uint256 fromAvailable, uint256 fromWithdrawing)
    {
        uint256 available = availableBalance[token][depositor];
        uint256 withdrawing = withdrawingBalance[token][depositor];
        fromAvailable = value < available ? value : available;
        uint256 rest = value - fromAvailable;
        fromWithdrawing = rest < withdrawing ? rest : withdrawing;
        availableBalance[token][depositor] = available - fromAvailable;
        withdrawingBalance[token][depositor] = withdrawing - fromWithdrawing;
    }

    /// Before the money moves; a token that refuses undoes it.
    function _increase(address token, address depositor, address sender, uint256 value) private {
        if (value == 0) revert DepositValueMustBePositive();
        availableBalance[token][depositor] += value;
        emit Deposited(token, depositor, sender, value);
    }

    function _updateWithdrawalDelay(uint256 newDelay) private {
        if (newDelay > MOST_WITHDRAWAL_DELAY) revert WithdrawalDelayTooLong(newDelay);
        emit WithdrawalDelayChanged(withdrawalDelay, newDelay);
        withdrawalDelay = newDelay;
    }
}
